import { render } from 'preact';
import { App } from './app.tsx';
import { followLinks } from './place.ts';

followLinks();
document.body.replaceChildren();
render(<App />, document.body);
