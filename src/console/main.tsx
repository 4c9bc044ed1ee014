import { render } from 'preact';
import { App } from './frame/app.tsx';
import { followLinks } from './routing/address.ts';
import { startSession } from './session/session.ts';

followLinks();
const place = document.getElementById('console');
if (place) render(<App />, place);
void startSession();
