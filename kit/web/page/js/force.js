// Laying tags out: points push each other off, lines pull together, all are drawn to the middle. Law: the same tags give
// the same picture, in a bounded time.

const LENGTH = { synonym: 60, related: 105, loose: 150 };
const PULL = { synonym: 0.16, related: 0.07, loose: 0.03 };
const PUSH = 9000;
const CELL = 260;

/** Place points {x, y, r} joined by lines {a, b, level} (a, b: points); returns the box they fill. */
export function arrange(points, lines, rounds = points.length > 200 ? 160 : 320) {
  points.forEach((point, at) => { // a sunflower: even, and no two in one place
    const angle = at * 2.399963;
    const far = 26 * Math.sqrt(at + 0.5);
    Object.assign(point, { x: far * Math.cos(angle) * 1.25, y: far * Math.sin(angle), dx: 0, dy: 0 });
  });
  for (let round = 0; round < rounds; round += 1) {
    const heat = 1 - round / rounds;
    const cells = inCells(points);
    for (const point of points) {
      point.dx -= point.x * 0.009;
      point.dy -= point.y * 0.011;
      for (const other of around(cells, point)) push(point, other);
    }
    for (const { a, b, level } of lines) pull(a, b, level);
    for (const point of points) {
      const step = Math.hypot(point.dx, point.dy);
      const most = 26 * heat + 0.4;
      const share = step > most ? most / step : 1;
      point.x += point.dx * share;
      point.y += point.dy * share;
      point.dx *= 0.5;
      point.dy *= 0.5;
    }
  }
  return box(points);
}

function inCells(points) {
  const cells = new Map();
  for (const point of points) {
    const key = `${Math.floor(point.x / CELL)},${Math.floor(point.y / CELL)}`;
    if (!cells.has(key)) cells.set(key, []);
    cells.get(key).push(point);
  }
  return cells;
}

function* around(cells, point) {
  const [column, line] = [Math.floor(point.x / CELL), Math.floor(point.y / CELL)];
  for (let x = column - 1; x <= column + 1; x += 1) {
    for (let y = line - 1; y <= line + 1; y += 1) yield* cells.get(`${x},${y}`) || [];
  }
}

function push(point, other) {
  if (point === other) return;
  const x = point.x - other.x || 0.1;
  const y = (point.y - other.y) * 1.3 || 0.1; // names are wide: more room above and below costs less
  const square = Math.max(60, x * x + y * y);
  const by = PUSH / square / Math.sqrt(square);
  point.dx += x * by;
  point.dy += y * by;
}

function pull(a, b, level) {
  const x = b.x - a.x;
  const y = b.y - a.y;
  const far = Math.hypot(x, y) || 1;
  const by = ((far - LENGTH[level]) / far) * PULL[level];
  a.dx += x * by;
  a.dy += y * by;
  b.dx -= x * by;
  b.dy -= y * by;
}

function box(points) {
  const side = (pick, name) => pick(...points.map((point) => point[name]), 0);
  const [left, right] = [side(Math.min, "x") - 80, side(Math.max, "x") + 80];
  const [top, bottom] = [side(Math.min, "y") - 46, side(Math.max, "y") + 56];
  return { x: left, y: top, width: right - left, height: bottom - top };
}
