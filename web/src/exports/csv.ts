// The table as CSV, written as trajectory.csv is.
import type { Motion } from '../document';
import { download, fileName } from './download';

/** Quoted where a comma, a quote or a line break asks for it. */
export function csvField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** The shortest text that reads back as the same number. */
export function csvNumber(x: number): string {
  if (Number.isFinite(x)) return Object.is(x, -0) ? '-0' : String(x);
  return Number.isNaN(x) ? 'nan' : x > 0 ? 'inf' : '-inf';
}

/** A header and the rows, in pieces of many rows each. */
export function* csvParts(names: string[], columns: Float64Array[]): Generator<string> {
  yield names.map(csvField).join(',') + '\n';
  const rows = columns[0]?.length ?? 0;
  const piece = 500;
  for (let begin = 0; begin < rows; begin += piece) {
    const lines: string[] = [];
    for (let row = begin; row < Math.min(begin + piece, rows); ++row) {
      lines.push(columns.map((values) => csvNumber(values[row]!)).join(','));
    }
    yield lines.join('\n') + '\n';
  }
}

export function saveCsv(motion: Motion): void {
  const names = motion.columns.map((column) => column.name);
  const parts = [...csvParts(names, names.map((name) => motion.column(name)))];
  const { thinned } = motion.document.table;
  const ending = thinned > 0 ? `extremes-of-each-${thinned}-rows` : 'trajectory';
  download(new Blob(parts, { type: 'text/csv' }), `${fileName(motion.document.model.name, ending)}.csv`);
}
