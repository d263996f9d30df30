// Arithmetic of columns, as a reader types it: numbers, names of columns and parameters, + - * / ^, functions, brackets.
// A name with other characters than letters, digits, _ . and ' stands between backquotes: `constraint.link 1`. A name with
// brackets, as d(x)/d(m), is read as a name where there is a column of that name.

export class ExpressionError extends Error {}

/** The value of an expression at a row. */
export type RowValue = (row: number) => number;

/** Numbers for a name: a column, a constant, or null where there is none. */
export type Names = (name: string) => ArrayLike<number> | number | null;

const functions: Record<string, (x: number, y: number) => number> = {
  sqrt: Math.sqrt, abs: Math.abs, exp: Math.exp, log: Math.log, sin: Math.sin, cos: Math.cos, tan: Math.tan, asin: Math.asin,
  acos: Math.acos, atan: Math.atan, sinh: Math.sinh, cosh: Math.cosh, tanh: Math.tanh, sign: Math.sign, floor: Math.floor,
  atan2: Math.atan2, min: Math.min, max: Math.max, hypot: Math.hypot,
};
const ofTwo: ReadonlySet<string> = new Set(['atan2', 'min', 'max', 'hypot']);

type Token = { kind: 'number'; value: number; text: string } | { kind: 'name' | 'quoted' | 'sign'; text: string };

const pattern = /\s*(?:(\d+\.?\d*(?:[eE][+-]?\d+)?|\.\d+(?:[eE][+-]?\d+)?)|`([^`]*)`|([\p{L}_][\p{L}\p{N}_.]*'*)|([-+*/^(),]))/uy;

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (text.slice(at).trim() !== '') {
    pattern.lastIndex = at;
    const match = pattern.exec(text);
    if (match === null) throw new ExpressionError(`cannot read ${JSON.stringify(text.slice(at).trim())}`);
    at = pattern.lastIndex;
    const [, number, quoted, name, sign] = match;
    if (number !== undefined) tokens.push({ kind: 'number', value: Number(number), text: number });
    else if (quoted !== undefined) tokens.push({ kind: 'quoted', text: quoted });
    else if (name !== undefined) tokens.push({ kind: 'name', text: name });
    else tokens.push({ kind: 'sign', text: sign! });
  }
  return tokens;
}

class Parser {
  private next = 0;

  constructor(private readonly tokens: Token[], private readonly names: Names) {}

  all(): RowValue {
    const value = this.sum();
    const left = this.tokens[this.next];
    if (left !== undefined) throw new ExpressionError(`did not expect '${left.text}'`);
    return value;
  }

  private sign(...signs: string[]): string | null {
    const token = this.tokens[this.next];
    if (token?.kind !== 'sign' || !signs.includes(token.text)) return null;
    ++this.next;
    return token.text;
  }

  private expect(sign: string): void {
    if (this.sign(sign) === null) throw new ExpressionError(`'${sign}' is missing`);
  }

  private sum(): RowValue {
    let left = this.product();
    for (let sign = this.sign('+', '-'); sign !== null; sign = this.sign('+', '-')) {
      const [a, b] = [left, this.product()];
      left = sign === '+' ? (row) => a(row) + b(row) : (row) => a(row) - b(row);
    }
    return left;
  }

  private product(): RowValue {
    let left = this.unary();
    for (let sign = this.sign('*', '/'); sign !== null; sign = this.sign('*', '/')) {
      const [a, b] = [left, this.unary()];
      left = sign === '*' ? (row) => a(row) * b(row) : (row) => a(row) / b(row);
    }
    return left;
  }

  /** -x^2 is -(x^2), and 2^-x and 2^3^2 = 2^(3^2) as everywhere. */
  private unary(): RowValue {
    if (this.sign('-') !== null) {
      const of = this.unary();
      return (row) => -of(row);
    }
    if (this.sign('+') !== null) return this.unary();
    const base = this.atom();
    if (this.sign('^') === null) return base;
    const power = this.unary();
    return (row) => base(row) ** power(row);
  }

  private atom(): RowValue {
    const token = this.tokens[this.next++];
    if (token === undefined) throw new ExpressionError('it ends too early');
    if (token.kind === 'number') return () => token.value;
    if (token.kind === 'sign') {
      if (token.text !== '(') throw new ExpressionError(`did not expect '${token.text}'`);
      const inner = this.sum();
      this.expect(')');
      return inner;
    }
    const call = token.kind === 'name' ? functions[token.text] : undefined;
    if (call !== undefined && Object.hasOwn(functions, token.text) && this.sign('(') !== null) return this.call(token.text, call);
    return this.named(token.text);
  }

  private call(name: string, of: (x: number, y: number) => number): RowValue {
    const x = this.sum();
    if (!ofTwo.has(name)) {
      this.expect(')');
      return (row) => of(x(row), NaN);
    }
    this.expect(',');
    const y = this.sum();
    this.expect(')');
    return (row) => of(x(row), y(row));
  }

  private named(name: string): RowValue {
    const found = this.names(name);
    if (found === null && name !== 'pi') throw new ExpressionError(`there is no column or parameter '${name}'`);
    const value = found ?? Math.PI;
    return typeof value === 'number' ? () => value : (row) => value[row]!;
  }
}

/** The values of an expression for so many rows. Throws an ExpressionError that says what is wrong. */
export function evaluate(text: string, rows: number, names: Names): Float64Array {
  const whole = names(text.trim());
  if (whole !== null && typeof whole !== 'number') return Float64Array.from(whole);
  const value = new Parser(tokensOf(text), names).all();
  return Float64Array.from({ length: rows }, (_, row) => value(row));
}
