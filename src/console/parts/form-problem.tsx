import type { Problem } from '../api/problem.ts';

interface FormProblemProps {
  readonly problem: Problem;
  /** Reads what is stored again, where somebody else changed it. */
  readonly again?: (() => void) | undefined;
}

/** A refusal that belongs to no field of a form. */
export function FormProblem({ problem, again }: FormProblemProps) {
  return (
    <div class="alert" role="alert">
      <p>{problem.message}</p>
      {problem.status === 412 && again && (
        <button type="button" class="plain" onClick={again}>
          Read it again and keep what I typed
        </button>
      )}
    </div>
  );
}
