import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../api/api.ts';
import { Dialog } from '../parts/dialog.tsx';
import { go, hrefOf } from '../routing/address.ts';
import { searchUsers } from '../screens/users/search.ts';
import { nameOf } from '../screens/users/words.ts';
import { may } from '../session/session.ts';
import { screens } from './screens.tsx';

interface Choice {
  readonly title: string;
  readonly href: string;
}

/** Goes anywhere by the keyboard: to screens, to users, to apps. */
export function Palette({ close }: { readonly close: () => void }) {
  const [text, setText] = useState('');
  const [found, setFound] = useState<readonly Choice[]>([]);
  const [at, setAt] = useState(0);
  const turn = useRef(0);
  useEffect(() => {
    turn.current += 1;
    const mine = turn.current;
    if (text.trim().length < 2) {
      setFound([]);
      return;
    }
    const timer = setTimeout(async () => {
      const choices = await findChoices(text.trim()).catch(() => []);
      if (mine === turn.current) setFound(choices);
    }, 150);
    return () => clearTimeout(timer);
  }, [text]);
  const wanted = text.trim().toLowerCase();
  const choices = [
    ...screens.flatMap(({ path, title, scopes }) =>
      title?.toLowerCase().includes(wanted) && may(...scopes) ? [{ title, href: hrefOf(path) }] : [],
    ),
    ...found,
  ];
  const chosen = Math.min(at, choices.length - 1);
  const choose = (choice: Choice | undefined) => {
    if (!choice) return;
    close();
    go(choice.href);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setAt((chosen + step + choices.length) % Math.max(choices.length, 1));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      choose(choices[chosen]);
    }
  };
  return (
    <Dialog title="Go to" close={close}>
      <input
        class="palette-input"
        role="combobox"
        aria-label="Screen, user or app"
        aria-expanded={choices.length > 0}
        aria-controls="palette-choices"
        aria-activedescendant={choices.length > 0 ? `palette-${chosen}` : undefined}
        autocomplete="off"
        spellcheck={false}
        placeholder="Screen, user or app"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={onKeyDown}
      />
      <div id="palette-choices" class="choices" role="listbox" aria-label="Places">
        {choices.map((choice, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the combobox
          <div
            key={choice.href}
            id={`palette-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === chosen}
            onClick={() => choose(choice)}
          >
            <bdi>{choice.title}</bdi>
          </div>
        ))}
      </div>
      {choices.length === 0 && <p class="quiet">Nothing of that name.</p>}
    </Dialog>
  );
}

async function findChoices(text: string): Promise<readonly Choice[]> {
  const users = searchUsers(text, 5).then((found) =>
    found.map((user) => ({ title: `User: ${nameOf(user)}`, href: hrefOf(`users/${user.id}`) })),
  );
  if (!may('read_all')) return users;
  const apps = api
    .get('/api/2/apps', { query: { name: `${text}*`, limit: 5 } })
    .then(({ data }) => data.map(({ id, name }) => ({ title: `App: ${name}`, href: hrefOf(`apps/${id}`) })));
  return (await Promise.all([users, apps])).flat();
}
