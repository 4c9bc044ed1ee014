import { wantsNonce } from './proof.ts';
import type { Session } from './sign-in.ts';

/** Sends a request with a token, and once more where the service wants its nonce in the proof. */
export async function sendAs(
  request: Request,
  { token, scheme, key }: Pick<Session, 'token' | 'scheme' | 'key'>,
): Promise<Response> {
  const attempt = async (one: Request) => {
    one.headers.set('authorization', `${scheme} ${token}`);
    one.headers.set('dpop', await key.prove({ method: one.method, url: one.url, token }));
    const answer = await fetch(one);
    key.keepNonce(answer.headers.get('dpop-nonce'));
    return answer;
  };
  const answer = await attempt(request.clone());
  return (await wantsNonce(answer)) ? attempt(request) : answer;
}
