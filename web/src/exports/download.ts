// Saving what the page has made.

/** Offers `blob` for saving under `name`. */
export function download(blob: Blob, name: string): void {
  const address = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  // Some browsers read the address after the click has returned.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

/** Characters of a name; a file system takes 255 bytes, and a character has four at most. */
const longest = 60;
const longestWhat = 36;

/** A name of a file made of what may be anything: the name of a model and, kept where that is cut, what is saved of it. */
export function fileName(model: string, what = ''): string {
  const ending = cleaned(what, longestWhat);
  const name = cleaned(model, longest - Array.from(ending).length) || 'motion';
  return ending === '' ? name : `${name}-${ending}`;
}

function cleaned(text: string, length: number): string {
  const characters = text.normalize('NFKC').replace(/[^\p{L}\p{M}\p{N}._]+/gu, '-').replace(/^[-.]+/, '');
  return Array.from(characters).slice(0, length).join('').replace(/[-.]+$/, '');
}

/** What a canvas shows, as PNG. */
export function pictureOf(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob((blob) => {
      if (blob === null) reject(new Error('The browser could not make a picture.'));
      else resolve(blob);
    }, 'image/png');
  });
}
