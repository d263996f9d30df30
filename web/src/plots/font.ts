// Letters on canvases: those of the page.
const family = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", Arial, sans-serif';

export function fontOf(size: number, weight = ''): string {
  return `${weight} ${Math.round(size)}px ${family}`.trim();
}
