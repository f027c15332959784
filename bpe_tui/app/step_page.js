"use strict";
// Steps through the film: a stop is a shot with a label, and the shots up to the next one.
const film = JSON.parse(document.getElementById("film").textContent);
const at = id => document.getElementById(id);
const shots = film.shots;
const stops = shots.flatMap((shot, place) => "m" in shot ? [place] : []);
const still = matchMedia("(prefers-reduced-motion: reduce)");
let stop = 0, place = 0, timer = 0, playing = false;

const made = (tag, text, name) => {
  const element = document.createElement(tag);
  element.textContent = text;
  if (name) element.className = name;
  return element;
};

// The row of a screen: the number of a look, then its texts; -1 and -2 are the cells of the next.
const drawRow = parts => {
  const row = made("div", "", "row");
  let span = row, cells = 0;
  for (const part of parts) {
    if (typeof part === "string") {
      span.append(cells ? made("span", part, "w" + cells) : part);
      cells = 0;
    } else if (part < 0) cells = -part;
    else row.append(span = made("span", "", "l" + part));
  }
  return row;
};

const drawn = [];
const draw = next => {
  place = next;
  shots[place].r.forEach((number, line) => {
    if (drawn[line] === number) return;
    drawn[line] = number;
    const row = drawRow(film.rows[number]), old = at("screen").children[line];
    if (old) old.replaceWith(row); else at("screen").append(row);
  });
};

const lastOf = number => (stops[number + 1] ?? shots.length) - 1;
const paragraphs = texts => texts.map(text => made("p", text));

const wait = () => {
  clearTimeout(timer);
  const goesOn = place < lastOf(stop), time = shots[place].s * 1000;
  if (goesOn) timer = setTimeout(() => { draw(place + 1); wait(); }, time);
  else if (playing) timer = setTimeout(() => stop + 1 < stops.length ? go(stop + 1, true) : play(false), time);
};

// Goes to a stop: from its first shot, or at once to its last.
const go = (number, fromFirst) => {
  stop = Math.max(0, Math.min(number, stops.length - 1));
  const shot = shots[stops[stop]];
  draw(fromFirst && !still.matches ? stops[stop] : lastOf(stop));
  at("place").textContent = `${shot.m} │ ${stop + 1}/${stops.length}`;
  at("narration").replaceChildren(...paragraphs(shot.n));
  at("back").disabled = stop === 0;
  at("on").disabled = stop === stops.length - 1;
  wait();
};

const step = by => {
  const next = stop + by;
  if (by < 0 || next === stops.length) play(false);
  if (next >= 0 && next < stops.length) go(next, by > 0);
};

const play = on => {
  playing = on;
  at("play").textContent = at("play").dataset[on ? "pause" : "play"];
  if (on && stop === stops.length - 1) go(0, true); else wait();
};

const acts = {
  ArrowRight: () => step(1), ArrowLeft: () => step(-1), " ": () => play(!playing),
  Home: () => go(0), End: () => go(stops.length - 1),
};
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  if (event.key === " " && event.target.tagName === "BUTTON") return;
  const act = acts[event.key] ?? acts[event.key.toLowerCase()];
  if (!act) return;
  event.preventDefault();
  act();
});
const buttons = {
  back: () => step(-1), on: () => step(1), play: () => play(!playing),
};
for (const [id, act] of Object.entries(buttons)) at(id).addEventListener("click", act);

let touched = null;
at("screen").addEventListener("touchstart", event => { touched = event.touches[0]; }, {passive: true});
at("screen").addEventListener("touchend", event => {
  const screen = at("screen"), end = event.changedTouches[0];
  if (!touched || screen.scrollWidth > screen.clientWidth + 1) return; // that scrolls it
  const x = end.clientX - touched.clientX, y = end.clientY - touched.clientY;
  if (Math.abs(x) > 40 && Math.abs(x) > 2 * Math.abs(y)) step(x < 0 ? 1 : -1);
});
go(0);
