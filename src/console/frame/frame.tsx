import { useEffect, useState } from 'preact/hooks';
import { api } from '../api/api.ts';
import { useAnswer } from '../api/use-answer.ts';
import { Notices } from '../parts/notices.tsx';
import { Screen } from '../parts/screen.tsx';
import { useStored } from '../parts/stored.ts';
import { hrefOf, useAddress } from '../routing/address.ts';
import { UserLink } from '../screens/users/user-link.tsx';
import { may, standing } from '../session/session.ts';
import { Calls } from './calls.tsx';
import { Ended } from './ended.tsx';
import { Palette } from './palette.tsx';
import { findScreen, screens } from './screens.tsx';

export function Frame() {
  const { path } = useAddress();
  const now = useStored(standing);
  const [isPaletteOpen, setIsPaletteOpen] = useState(false);
  const [isMenuOpen, setIsMenuOpen] = useState(false);
  useEffect(() => setIsMenuOpen(false), [path]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey)) {
        event.preventDefault();
        setIsPaletteOpen(true);
      } else if (event.key === '/' && !isTyping(event.composedPath()[0])) {
        const search = document.querySelector<HTMLInputElement>('input[type=search]');
        if (!search) return;
        event.preventDefault();
        search.focus();
        search.select();
      }
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  const menu = screens.filter(({ title, scopes }) => title !== undefined && may(...scopes));
  const first = path.split('/')[0];
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class="top">
        <a class="brand" href={hrefOf('')}>
          <img src="/assets/icon.svg" alt="" width="28" height="28" /> Gatehouse
        </a>
        <span class="host">{location.host}</span>
        <button
          type="button"
          class="menu-opener"
          aria-expanded={isMenuOpen}
          aria-controls="menu"
          onClick={() => setIsMenuOpen(!isMenuOpen)}
        >
          Menu
        </button>
        <button type="button" class="palette-opener" onClick={() => setIsPaletteOpen(true)}>
          Go to… <kbd>Ctrl K</kbd>
        </button>
        {now.is === 'open' && <Who id={now.session.userId} />}
      </header>
      <div class="body">
        <nav id="menu" class={isMenuOpen ? 'menu menu-open' : 'menu'} aria-label="Screens">
          <ul>
            {menu.map((entry) => (
              <li key={entry.path}>
                <a href={hrefOf(entry.path)} aria-current={entry.path === first ? 'page' : undefined}>
                  {entry.title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <main id="main" tabIndex={-1}>
          <Shown path={path} />
          <Calls />
        </main>
      </div>
      <Notices />
      {isPaletteOpen && <Palette close={() => setIsPaletteOpen(false)} />}
      {now.is === 'ended' && <Ended somebodyElse={now.somebodyElse} />}
    </>
  );
}

function Who({ id }: { readonly id: number }) {
  const { answer } = useAnswer(() => api.get('/api/2/users/{id}', { path: { id } }), [id]);
  return (
    <p class="who">
      {answer && <UserLink user={answer.data} />}
      <a href="/sign-out">Sign out</a>
    </p>
  );
}

function Shown({ path }: { readonly path: string }) {
  const found = findScreen(path);
  if (!found) {
    return (
      <Screen key={path} title="There is nothing here">
        <p>
          The console has no such screen. Go back to the <a href={hrefOf('')}>overview</a>.
        </p>
      </Screen>
    );
  }
  const { entry, id } = found;
  if (!may(...entry.scopes)) {
    return (
      <Screen key={path} title="No access">
        <p>
          You need the scope {entry.scopes.join(' or ') || 'manage_all'} to open this screen. A full administrator can
          give it to you.
        </p>
      </Screen>
    );
  }
  return <entry.screen key={path} id={id} />;
}

/** The target is the innermost one, since the editor of functions has a tree of its own. */
function isTyping(target: EventTarget | undefined): boolean {
  return (
    target instanceof HTMLElement && (target.isContentEditable || /^(?:INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
  );
}
