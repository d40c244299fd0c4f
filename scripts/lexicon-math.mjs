/**
 * Numbers from 0 to 1 that are the same in every run.
 *
 * @param {number} seed
 */
export function seededRandom(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/**
 * The principal components of the rows, strongest first, computed by Jacobi rotations of the covariance matrix.
 *
 * @param {number[][]} rows
 * @returns {number[][]}
 */
export function findAxes(rows) {
  const size = rows[0].length;
  const square = () => Array.from({ length: size }, () => new Float64Array(size));
  const covariance = square();
  for (const row of rows) {
    for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) covariance[i][j] += row[i] * row[j];
  }
  const axes = square();
  axes.forEach((row, at) => (row[at] = 1));
  for (let sweep = 0; sweep < 30; sweep++) {
    for (let p = 0; p < size; p++) for (let q = p + 1; q < size; q++) rotate(covariance, axes, p, q);
  }
  const order = [...covariance.keys()].toSorted((a, b) => covariance[b][b] - covariance[a][a]);
  return order.map((column) => {
    const axis = axes.map((row) => row[column]);
    // A direction and its opposite are the same axis; choose one, so that runs agree.
    const largest = axis.reduce((most, value) => (Math.abs(value) > Math.abs(most) ? value : most), 0);
    return axis.map((value) => value * Math.sign(largest));
  });
}

/**
 * @param {Float64Array[]} matrix
 * @param {Float64Array[]} axes
 * @param {number} p
 * @param {number} q
 */
function rotate(matrix, axes, p, q) {
  const off = matrix[p][q];
  if (Math.abs(off) < 1e-12) return;
  const theta = (matrix[q][q] - matrix[p][p]) / (2 * off);
  const tangent = Math.sign(theta || 1) / (Math.abs(theta) + Math.hypot(theta, 1));
  const cosine = 1 / Math.hypot(tangent, 1);
  const sine = tangent * cosine;
  const turn = (/** @type {number} */ a, /** @type {number} */ b) => [
    cosine * a - sine * b,
    sine * a + cosine * b,
  ];
  for (const row of [...matrix, ...axes]) [row[p], row[q]] = turn(row[p], row[q]);
  for (let at = 0; at < matrix.length; at++) {
    [matrix[p][at], matrix[q][at]] = turn(matrix[p][at], matrix[q][at]);
  }
}

/**
 * Cuts every row into slices and maps each slice to its nearest centroid. The rows are rotated randomly first, so that
 * no slice carries more information than the others.
 *
 * @param {number[][]} rows
 * @param {{ slices: number, slice: number, columns: number, random: () => number }} options
 */
export function quantize(rows, { slices, slice, columns, random }) {
  const turn = randomRotation(slices * slice, random);
  const turned = rows.map((row) => turn.map((axis) => dot(axis, row)));
  const parts = Array.from({ length: slices }, (_, part) => {
    const points = turned.map((row) => row.slice(part * slice, (part + 1) * slice));
    const centroids = cluster(points, columns, random);
    return { centroids, columnOf: points.map((point) => findNearest(point, centroids)) };
  });
  return {
    centroids: parts.flatMap(({ centroids }) => centroids.flat()),
    codes: rows.flatMap((_, row) => parts.map(({ columnOf }) => columnOf[row])),
  };
}

/**
 * @param {readonly number[]} one
 * @param {readonly number[]} other
 */
export function dot(one, other) {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += one[at] * other[at];
  return sum;
}

/**
 * @param {number} size
 * @param {() => number} random
 */
function randomRotation(size, random) {
  /** @type {number[][]} */
  const axes = [];
  const normal = () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random());
  while (axes.length < size) {
    let axis = Array.from({ length: size }, normal);
    for (const other of axes) {
      const along = dot(axis, other);
      axis = axis.map((value, at) => value - along * other[at]);
    }
    const length = Math.hypot(...axis);
    axes.push(axis.map((value) => value / length));
  }
  return axes;
}

/**
 * @param {number[][]} points
 * @param {number} count
 * @param {() => number} random
 */
function cluster(points, count, random) {
  const pick = () => [...points[Math.floor(random() * points.length)]];
  let centroids = Array.from({ length: count }, pick);
  for (let round = 0; round < 20; round++) {
    const sums = centroids.map((centroid) => ({ total: centroid.map(() => 0), members: 0 }));
    for (const point of points) {
      const sum = sums[findNearest(point, centroids)];
      sum.members++;
      for (let at = 0; at < point.length; at++) sum.total[at] += point[at];
    }
    centroids = sums.map(({ total, members }) =>
      members > 0 ? total.map((value) => value / members) : pick(),
    );
  }
  return centroids;
}

/**
 * @param {readonly number[]} point
 * @param {number[][]} centroids
 */
function findNearest(point, centroids) {
  let nearest = 0;
  let least = Infinity;
  for (let index = 0; index < centroids.length; index++) {
    let distance = 0;
    for (let at = 0; at < point.length; at++) distance += (point[at] - centroids[index][at]) ** 2;
    if (distance < least) {
      least = distance;
      nearest = index;
    }
  }
  return nearest;
}
