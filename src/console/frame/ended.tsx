import { useState } from 'preact/hooks';
import { Dialog } from '../parts/dialog.tsx';
import { hrefOf } from '../routing/address.ts';
import { renewSession, signIn } from '../session/session.ts';

/** The session is over. What was typed stays on the page, and goes nowhere as somebody else. */
export function Ended({ somebodyElse }: { readonly somebodyElse: boolean }) {
  const [stillEnded, setStillEnded] = useState(false);
  const goOn = async () => setStillEnded((await renewSession()) === null);
  return (
    <Dialog title={somebodyElse ? 'Somebody else is signed in' : 'You are signed out'} close={() => void goOn()}>
      <div class="stack">
        <p>
          {somebodyElse
            ? 'This browser has been signed in as somebody else. Nothing of this page was sent in that name.'
            : 'Nothing was sent. What you typed is still on this page.'}
        </p>
        <p>
          <a href={hrefOf('')} target="_blank" rel="noreferrer">
            Sign in again in a new tab
          </a>
          , then go on here; or sign in here and leave this page’s changes.
        </p>
        {stillEnded && <p role="alert">You are not signed in as before yet.</p>}
        <div class="actions">
          <button type="button" class="primary" onClick={() => void goOn()}>
            Go on
          </button>
          <button type="button" onClick={() => void signIn()}>
            Sign in here
          </button>
        </div>
      </div>
    </Dialog>
  );
}
