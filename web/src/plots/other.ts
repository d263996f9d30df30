// Another run, laid over this one: read from a page or from a table.
import { decodeValues, Motion, type PageDocument } from '../document';

/** What cannot be read, in words. */
export class UnreadableError extends Error {}

/** The motion of a report.html. */
function readPage(text: string): Motion {
  const page = new DOMParser().parseFromString(text, 'text/html');
  const part = (id: string): string => {
    const found = page.getElementById(id)?.textContent;
    if (found === undefined || found === null) throw new UnreadableError('it is not a page of a motion');
    return found;
  };
  const document = JSON.parse(part('dalembert-document')) as PageDocument;
  if (document.table === undefined || document.branch !== undefined) throw new UnreadableError('it is a page, but not of a motion');
  return new Motion(document, decodeValues(part('dalembert-values')));
}

/** The fields of one line of CSV; quotes as RFC 4180 has them. */
export function fieldsOf(line: string): string[] {
  const fields: string[] = [];
  const pattern = /(?:"((?:[^"]|"")*)"|([^,]*))(,|$)/y;
  for (;;) {
    const match = pattern.exec(line);
    if (match === null) throw new UnreadableError('a quote of its header is not closed');
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? '');
    if (match[3] === '') return fields;
  }
}

function numberOf(text: string): number {
  const word = text.trim().toLowerCase();
  if (word === '' || word === 'nan' || word === '-nan') return NaN;
  if (word === 'inf' || word === '-inf') return word === 'inf' ? Infinity : -Infinity;
  const value = Number(word);
  if (Number.isNaN(value)) throw new UnreadableError(`${JSON.stringify(text)} is no number`);
  return value;
}

/** A table such as trajectory.csv, with a column t. */
export function readTable(text: string, name: string): Motion {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  const names = fieldsOf(lines[0] ?? '');
  if (!names.includes('t')) throw new UnreadableError('it is neither a page of a motion nor a table with a column t');
  const rows = lines.length - 1;
  const values = new Float64Array(rows * names.length);
  for (let row = 0; row < rows; ++row) {
    const fields = lines[row + 1]!.split(',');
    if (fields.length !== names.length) throw new UnreadableError(`line ${row + 2} has ${fields.length} fields, not ${names.length}`);
    fields.forEach((field, c) => (values[c * rows + row] = numberOf(field)));
  }
  const columns = names.map((column) => ({ name: column, group: column === 't' ? 'time' as const : 'output' as const }));
  const document = {
    model: { name, parameters: [] }, table: { columns, index: 0, rows, total: rows, thinned: 0 }, instants: [], scene: null, summary: null,
  };
  return new Motion(document as unknown as PageDocument, values);
}

/** A run from the text of a file. Throws an UnreadableError that says why it is none. */
export function readRun(text: string, name: string): Motion {
  try {
    return /^\s*</.test(text) ? readPage(text) : readTable(text, name);
  } catch (error) {
    if (error instanceof UnreadableError) throw new UnreadableError(`${name}: ${error.message}`);
    if (error instanceof SyntaxError) throw new UnreadableError(`${name}: its data are damaged`);
    throw error;
  }
}
