"use strict";
// Steps through the film: a stop is a shot with a label, and the shots up to the next one. A shot
// with a question stays until it is answered; the shot after it has the counts that tell the answer.
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

const draw = next => {
  place = next;
  at("screen").replaceChildren(...shots[place].r.map(number => drawRow(film.rows[number])));
  at("narration").hidden = stop === 0 && waits(place); // that of step 0 names the next pair
  showQuestion(false);
};

// ---- questions: one part after another, and a reply to each option of a part

// Words of a sentence; a token is a list with its text.
const sentence = (tag, words, name) => {
  const element = made(tag, "", name);
  for (const word of words) element.append(typeof word === "string" ? word : made("b", word[0]));
  return element;
};
const lines = (id, sentences) => at(id).replaceChildren(...sentences.map(each => sentence("p", each)));

const questions = shots.flatMap(shot => shot.q ? [shot.q] : []);
for (const question of questions)
  Object.assign(question, {part: 0, tried: [], hints: 0, reply: [], look: "", isOver: false, isFirst: true});
const lastOf = number => (stops[number + 1] ?? shots.length) - 1;
const questionOf = number => shots.slice(stops[number], lastOf(number) + 1).find(shot => shot.q)?.q;

const option = (question, each, number) => {
  const isTried = question.tried.includes(number), isRight = question.isOver && each.right;
  const button = sentence("button", each.label, isRight ? "right" : isTried ? "wrong" : "");
  button.append(made("span", question.isOver ? each.note : each.fact, "note"));
  if (each.fact) button.style.flexBasis = "100%"; // numbers to add up, in a line
  button.disabled = isTried || question.isOver;
  button.addEventListener("click", () => answer(question, number));
  return button;
};

// Shows the question of the present stop, from its shot on; `isUsed` keeps the focus in it.
const showQuestion = isUsed => {
  const question = questionOf(stop), isHere = question && (question.isOver || shots[place].q);
  at("question").hidden = !isHere;
  if (!isHere) return;
  const part = question.parts[question.part];
  lines("asks", question.isOver ? question.asks.slice(0, 1) : question.asks);
  lines("given", question.isOver ? [] : part.given);
  at("options").replaceChildren(...part.options.map((each, number) => option(question, each, number)));
  lines("reply", question.reply);
  at("reply").className = question.look;
  at("helps").hidden = question.isOver;
  const over = questions.filter(each => each.isOver), first = over.filter(each => each.isFirst);
  at("score").textContent = over.length ? film.score.replace("{n}", first.length).replace("{asked}", over.length) : "";
  if (isUsed) (question.isOver ? at("on") : at("options").querySelector("button:enabled")).focus({preventScroll: true});
};

const say = (question, reply, look, isOver) => {
  Object.assign(question, {reply, look, isOver});
  if (isOver) draw(lastOf(stop));
  showQuestion(true);
  wait();
};

const answer = (question, number) => {
  const chosen = question.parts[question.part].options[number];
  const isOver = chosen.right && question.part + 1 === question.parts.length;
  question.isFirst &&= chosen.right;
  if (!chosen.right) question.tried.push(number);
  else if (!isOver) Object.assign(question, {part: question.part + 1, tried: [], hints: 0});
  say(question, chosen.reply, chosen.right ? "right" : "wrong", isOver);
};

const hint = question => {
  const hints = question.parts[question.part].hints;
  say(question, [hints[Math.min(question.hints++, hints.length - 1)]], "", false);
};

const giveUp = question => {
  Object.assign(question, {isFirst: false, part: question.parts.length - 1});
  say(question, question.answer, "", true);
};

// ---- from step to step

const waits = number => !playing && shots[number].q && !shots[number].q.isOver;

const wait = () => {
  clearTimeout(timer);
  if (waits(place)) return;
  const goesOn = place < lastOf(stop), time = shots[place].s * 1000;
  if (goesOn) timer = setTimeout(() => { draw(place + 1); wait(); }, time);
  else if (playing) timer = setTimeout(() => stop + 1 < stops.length ? go(stop + 1, true) : play(false), time);
};

// Goes to a stop: from its first shot, or at once to its question, or else its last.
const go = (number, fromFirst) => {
  stop = Math.max(0, Math.min(number, stops.length - 1));
  const shot = shots[stops[stop]], last = lastOf(stop);
  const rest = last > stops[stop] && waits(last - 1) ? last - 1 : last;
  draw(fromFirst && !still.matches ? stops[stop] : rest);
  at("place").textContent = `${shot.m} │ ${stop + 1}/${stops.length}`;
  at("narration").replaceChildren(...shot.n.map(text => made("p", text)));
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
  hint: () => hint(questionOf(stop)), show: () => giveUp(questionOf(stop)),
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
