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

/** A name of a file made of what may be anything. */
export function fileName(...words: string[]): string {
  const name = words
    .join('-')
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}._]+/gu, '-')
    .replace(/^[-.]+|[-.]+$/g, '')
    .slice(0, 80);
  return name === '' ? 'motion' : name;
}
