// Where the page begins: the layout first, then the numbers.
import './style/page.css';
import { App } from './app';
import { afterPaint } from './dom';
import { Server } from './live/server';
import { readDocument, readLive, readValues } from './document';

const root = document.getElementById('app');
if (root !== null) {
  const live = readLive();
  const app = new App(root, live, live === null ? null : new Server());
  const page = readDocument();
  if (page !== null) {
    app.announce(page);
    afterPaint(() => app.setPage(page, readValues()));
  }
}
