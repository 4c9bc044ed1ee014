import { useEffect, useRef, useState } from 'preact/hooks';
import { type Problem, problemOf } from '../../api/problem.ts';
import { Dialog } from '../../parts/dialog.tsx';
import { ProblemNote } from '../../parts/screen.tsx';
import { searchUsers } from './search.ts';
import { nameOf } from './words.ts';

export interface FoundUser {
  readonly id: number;
  readonly title: string;
}

export interface FindUserProps {
  readonly title: string;
  readonly choose: (user: FoundUser) => Promise<void>;
  readonly close: () => void;
}

const pauseMilliseconds = 200;

/** Finds a user by the first letters of a name. */
export function FindUser({ title, choose, close }: FindUserProps) {
  const [text, setText] = useState('');
  const [found, setFound] = useState<readonly (FoundUser & { readonly email: string | null })[] | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const turn = useRef(0);
  useEffect(() => {
    turn.current += 1;
    const mine = turn.current;
    if (text.trim() === '') {
      setFound(null);
      return;
    }
    const timer = setTimeout(() => {
      searchUsers(text, 10).then(
        (users) => {
          if (mine === turn.current) setFound(users.map((user) => ({ ...user, title: nameOf(user) })));
        },
        (error) => setProblem(problemOf(error)),
      );
    }, pauseMilliseconds);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <Dialog title={title} close={close}>
      <div class="stack">
        {problem && <ProblemNote problem={problem} />}
        <label class="field">
          <span>Name or e-mail address</span>
          <input
            value={text}
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setText(event.currentTarget.value)}
          />
        </label>
        <ul class="found" aria-live="polite">
          {found?.map((user) => (
            <li key={user.id}>
              <button type="button" onClick={() => void choose(user).catch((error) => setProblem(problemOf(error)))}>
                <bdi>{user.title}</bdi> <span class="quiet">{user.email}</span>
              </button>
            </li>
          ))}
        </ul>
        {found?.length === 0 && <p class="quiet">Nobody’s name begins so.</p>}
      </div>
    </Dialog>
  );
}
