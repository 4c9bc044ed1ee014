import { render } from './render.ts';
import type { Link, SurfaceView } from './surface-view.ts';

/**
 * The style elements that Redoc creates, by digest: empty ones, which it fills by script (CSSOM), and the sheet of its
 * scroll bars. The second digest changes with the version of Redoc; the browser test detects that.
 */
const styleDigests = ['47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=', 'QMIg+bpjm3JdElJ388KYke01izlUW0UoNOeKjpMxdgc='];

/**
 * Scripts and styles of this host and those of Redoc; its search runs in a worker that it makes. The page asks for no
 * data.
 */
export const contractPagePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  'worker-src blob:',
  `style-src 'self' ${styleDigests.map((digest) => `'sha256-${digest}'`).join(' ')}`,
  "img-src 'self' data:",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The page of one surface: its contract, rendered by Redoc, and without scripts a list of its operations. */
export function contractPage(surface: SurfaceView, contract: object, link: Link): string {
  return render('contract', `${surface.title} – Gatehouse documentation`, link, {
    surface,
    // The page carries the contract as data, so that it also works from a folder. `<` would let the data end early.
    contract: linked(JSON.stringify(contract), link).replaceAll('<', '\\u003c'),
    scripts: [link('/docs/redoc.standalone.js'), link('/docs/start-redoc.js')],
  });
}

/** Gives the links of texts to other pages of the documentation the addresses that those pages have here. */
function linked(json: string, link: Link): string {
  return json.replaceAll(/\]\((\/docs(?:\/[\w-]+)?)(?=[#)])/g, (_, path: string) => `](${link(path)}`);
}
