import { Waiting } from '../parts/screen.tsx';
import { useStored } from '../parts/stored.ts';
import { signIn, standing } from '../session/session.ts';
import { Frame } from './frame.tsx';

export function App() {
  const now = useStored(standing);
  if (now.is === 'starting') {
    return (
      <main class="alone">
        <Waiting />
      </main>
    );
  }
  if (now.is !== 'refused') return <Frame />;
  return (
    <main class="alone">
      <h1>You cannot use the console</h1>
      <p role="alert">
        {now.code === 'access_denied' ? 'You are not an administrator of this account.' : now.words || now.code}
      </p>
      <div class="actions">
        <button type="button" class="primary" onClick={() => void signIn()}>
          Sign in again
        </button>
        <a href="/sign-out">Sign out</a>
      </div>
    </main>
  );
}
