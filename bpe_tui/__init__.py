"""The full-screen application and the command line around `engine`."""
