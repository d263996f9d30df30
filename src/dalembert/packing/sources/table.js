/* A table of the model: polynomials between nodes, values beyond them. */
function look_up(table, s) {
  const { nodes, pieces, degree } = table;
  let low = 0;
  let high = nodes.length - 1;
  if (Number.isNaN(s)) return s;
  if (s === nodes[high]) return table.last;
  if (s < nodes[0]) return table.before;
  if (s > nodes[high]) return table.behind;
  while (high - low > 1) {
    const middle = low + Math.floor((high - low) / 2);
    if (s < nodes[middle]) high = middle;
    else low = middle;
  }
  const first = low * (degree + 1);
  let sum = pieces[first + degree];
  for (let k = degree - 1; k >= 0; --k) sum = pieces[first + k] + (s - nodes[low]) * sum;
  return sum;
}

