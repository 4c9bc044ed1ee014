import { api } from '../../api/api.ts';
import { Problem } from '../../api/problem.ts';
import { say } from '../../parts/notices.tsx';
import { encodeText } from './text.ts';

/** The draft with its tag; null where the hook has none. */
export async function readDraft(id: string) {
  try {
    return await api.get('/api/2/hooks/{id}/draft', { path: { id } });
  } catch (error) {
    if (error instanceof Problem && error.status === 404) return null;
    throw error;
  }
}

/** Sets what runs beside the hook without effect: the function. `hasOthers`: more than that was changed. */
export async function saveDraft(id: string, code: string, hasOthers: boolean): Promise<void> {
  await api.put('/api/2/hooks/{id}/draft', { path: { id }, body: { function: encodeText(code) } });
  say(
    hasOthers
      ? 'The draft was saved. It holds the function alone: what you changed in “How it runs” is not stored until you save the hook.'
      : 'The draft was saved. It runs beside the hook from the next sign-in on, without effect.',
  );
}
