#!/usr/bin/env node
// SPDX-License-Identifier: MIT
// See README.md. Exit status: 0 all equal, 1 something differs, 2 usage.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { createInterface } from "node:readline";
import headless from "@xterm/headless";
import unicode11 from "@xterm/addon-unicode11";

const historyRows = 2000;

function randomSource(seed) {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13; state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5; state >>>= 0;
    return state % below;
  };
}

// Sequences on which xterm.js agrees with xterm; margins, origin mode and saved cursors are for the
// checkpoint comparison (`wild`) only.
function randomStream(next, cols, rows, wild) {
  const pick = (...list) => list[next(list.length)];
  const n = (top) => pick("", String(1 + next(top)), String(1 + next(top)));
  const token = () => {
    switch (next(wild ? 12 : 9)) {
      case 0: case 1: return pick("alpha ", "beta gamma", "中文字", "字\u0323", "é", "x\u0301", "0123456789abcdef", "   ");
      case 2: return pick("\r\n", "\r\n", "\n", "\r", "\x1bD", "\x1bM", "\t");
      case 3: return `\x1b[${n(rows)};${n(cols)}H`;
      case 4: return `\x1b[${n(4)}${pick(..."ABCDEFG")}`;
      case 5: return `\x1b[${pick("", 1, 4, 7, 31, 42, "38;5;99", "48;2;1;2;3", 0)}m`;
      case 6: return `\x1b[H${pick("\x1b[K", "\x1b[1K", "\x1b[J", "\x1b[2J")}`;
      case 7: return `\r\x1b[${n(4)}${pick(..."@PXLM")}`;
      case 8: return pick("\x1b[?25l", "\x1b[?25h", "\x1b[?2004h", "\x1b[?1h", "\x1b[4l", "\x1b]2;title\x07");
      case 9: return pick(`\x1b[2;${rows}r`, "\x1b[r", "\x1b[?6h", "\x1b[?6l", "\x1b7", "\x1b8", "\x1b[?7l", "\x1b[?7h", "\x1b[4h");
      case 10: return pick("\x1b[?1049h", "\x1b[?1049l", "\x1b[?1047h", "\x1b[?1047l", "\x1b(0", "\x1b(B", "\x1b[3g", "\x1bH");
      default: return pick("\x1b[2S", "\x1b[T", "\x1b[?1003h", "\x1b[?1000h", "\x1b[?1006h", "\x1bc", "\x1b#8", "\u009b31m", `a\x1b[${n(9)}b`);
    }
  };
  let out = "";
  const count = 5 + next(120);
  for (let i = 0; i < count; i++) out += token();
  return Buffer.from(out);
}

class Screen {
  constructor(program) {
    this.process = spawn(program, { stdio: ["pipe", "pipe", "inherit"] });
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }
  async play(job) {
    this.process.stdin.write(JSON.stringify(job) + "\n");
    const { value, done } = await this.lines.next();
    if (done) throw new Error("screen_dump died");
    return JSON.parse(value);
  }
  stop() { this.process.stdin.end(); }
}

function makeTerminal(cols, rows) {
  const terminal = new headless.Terminal({ cols, rows, scrollback: 10000, allowProposedApi: true, logLevel: "off" });
  terminal.loadAddon(new unicode11.Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  return terminal;
}

const write = (terminal, data) => new Promise((done) => terminal.write(data, done));

function look(terminal) {
  const buffer = terminal.buffer.active;
  const rows = [], wraps = [];
  for (let y = 0; y < buffer.length; y++) {
    rows.push(buffer.getLine(y).translateToString(true).replace(/ +$/, ""));
    wraps.push(buffer.getLine(y).isWrapped);
  }
  const { bracketedPasteMode, applicationCursorKeysMode, mouseTrackingMode, originMode, wraparoundMode, insertMode } = terminal.modes;
  return { rows, wraps, screen: rows.slice(-terminal.rows), cursor: [Math.min(buffer.cursorX, terminal.cols - 1), buffer.cursorY],
    pending: buffer.cursorX >= terminal.cols, alternate: buffer.type === "alternate",
    modes: { bracketedPasteMode, applicationCursorKeysMode, mouseTrackingMode, originMode, wraparoundMode, insertMode } };
}

function difference(expected, got) {
  for (let i = 0; i < Math.max(expected.length, got.length); i++) {
    if (expected[i] !== got[i]) return `row ${i}: ${JSON.stringify(expected[i])} against ${JSON.stringify(got[i])}`;
  }
  return null;
}

async function compare(screen, job) {
  const ops = [["feed", job.data.toString("base64")], ...(job.resize ? [["resize", ...job.resize]] : [])];
  const got = await screen.play({ cols: job.cols, rows: job.rows, ops, history_rows: historyRows, want_rows: historyRows });
  const found = [];
  const check = (what, problem) => { if (problem) found.push(`${what}: ${problem}`); };
  const live = makeTerminal(job.cols, job.rows);
  await write(live, job.data);
  const want = look(live);
  live.dispose();
  if (!job.wild && !job.resize) {
    check("rows", difference(want.rows.slice(-got.lines.length), got.lines.slice(-want.rows.length)));
    check("cursor", difference(want.cursor, got.cursor));
  }
  const copy = makeTerminal(got.cols, got.rows);
  await write(copy, Buffer.from(got.checkpoint, "base64"));
  const restored = look(copy);
  copy.dispose();
  check("checkpoint", difference(got.lines.slice(-restored.rows.length), restored.rows.slice(-got.lines.length)));
  check("checkpoint's cursor", difference(got.cursor, restored.cursor));
  if (!job.wild && !job.resize) {
    check("wraps", difference(want.wraps.slice(-restored.wraps.length), restored.wraps.slice(-want.wraps.length)));
    check("pending wrap", want.pending !== restored.pending && String(want.pending));
    check("modes", difference(Object.values(want.modes), Object.values(restored.modes)));
    check("buffer", want.alternate !== restored.alternate && String(want.alternate));
  }
  return found;
}

async function main() {
  const words = process.argv.slice(2);
  const options = { random: 0, bytes: 0, seed: 1, resize: false, files: [] };
  const program = words.shift();
  for (let i = 0; i < words.length; i++) {
    if (words[i] === "--random") options.random = Number(words[++i]);
    else if (words[i] === "--bytes") options.bytes = Number(words[++i]);
    else if (words[i] === "--seed") options.seed = Number(words[++i]);
    else if (words[i] === "--resize") options.resize = true;
    else options.files.push(words[i]);
  }
  if (!program || (!options.random && !options.bytes && !options.files.length)) {
    console.error("usage: vtdiff.mjs SCREEN_DUMP [--random N] [--bytes N] [--seed S] [--resize] [FILE.vt…]");
    return 2;
  }
  const screen = new Screen(program);
  let streams = 0, random = 0, bytes = 0, differing = 0;
  for (const job of jobs(options)) {
    if (!job.file && random >= options.random && bytes >= options.bytes) break;
    random += job.file ? 0 : 1;
    streams++;
    bytes += job.data.length;
    const found = await compare(screen, job);
    if (found.length) {
      differing++;
      console.log(`DIFF ${job.name} (${job.cols}x${job.rows}${job.resize ? ` to ${job.resize.join("x")}` : ""}) ${JSON.stringify(job.data.toString()).slice(0, 400)}`);
      for (const line of found) console.log(`     ${line}`);
    }
  }
  screen.stop();
  console.log(`${streams} streams, ${bytes} bytes, ${differing} differing`);
  return differing ? 1 : 0;
}

// The files, then random streams without end.
function* jobs(options) {
  for (const file of options.files) {
    const [, cols, rows] = basename(file).match(/(\d+)x(\d+)/) ?? [0, 80, 24];
    yield { name: file, file, cols: Number(cols), rows: Number(rows), data: readFileSync(file) };
  }
  for (let i = 0; options.random || options.bytes; i++) {
    const next = randomSource((options.seed + i) * 2654435761);
    for (let k = 0; k < 8; k++) next(2);
    const [cols, rows] = [[20, 6], [10, 4], [33, 7], [40, 10], [80, 24]][next(5)];
    const wild = i % 2 === 1;
    yield { name: `random ${options.seed + i}`, cols, rows, wild, data: randomStream(next, cols, rows, wild),
      resize: options.resize && next(2) ? [2 + next(2 * cols), 1 + next(2 * rows)] : null };
  }
}

process.exitCode = await main();
