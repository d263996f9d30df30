// Where the page begins: the layout first, then the numbers.
import './style/page.css';
import { App } from './app';
import { afterPaint } from './dom';
import { readDocument, readLive, readMotion } from './document';

const root = document.getElementById('app');
if (root !== null) {
  const app = new App(root, readLive());
  const page = readDocument();
  if (page !== null) {
    app.announce(page);
    afterPaint(() => app.setMotion(readMotion(page)));
  }
}
