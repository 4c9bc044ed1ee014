/**
 * Passkeys (WebAuthn Level 3) on the hosted pages: asks the browser for one, and sends its answer with the form that
 * asks. The forms are hidden until this has found that they can work; nothing else of the pages needs a script.
 */

const bytesOf = (text) =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));

const textOf = (buffer) =>
  btoa(String.fromCharCode(...new Uint8Array(buffer)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const readReferences = (references = []) =>
  references.map((reference) => ({ ...reference, id: bytesOf(reference.id) }));

/** The options of a form in the form that the browser expects. Parsed again for each attempt. */
function optionsOf(form) {
  const options = JSON.parse(form.dataset.options);
  return {
    ...options,
    challenge: bytesOf(options.challenge),
    allowCredentials: readReferences(options.allowCredentials),
    excludeCredentials: readReferences(options.excludeCredentials),
    ...(options.user && { user: { ...options.user, id: bytesOf(options.user.id) } }),
  };
}

/** What a browser answered, as JSON (WebAuthn Level 3 §5.1, toJSON, which not every browser has). */
function answerOf({ id, type, response }) {
  const parts = { transports: response.getTransports?.() };
  for (const name of ['clientDataJSON', 'attestationObject', 'authenticatorData', 'signature', 'userHandle']) {
    if (response[name]) parts[name] = textOf(response[name]);
  }
  return JSON.stringify({ id, rawId: id, type, response: parts, clientExtensionResults: {} });
}

/** Whether this page's host is the one that passkeys here are made for, in a browser that has them. */
function isUsable(form) {
  const { rp, rpId } = JSON.parse(form.dataset.options);
  return 'PublicKeyCredential' in window && location.hostname === (rp?.id ?? rpId);
}

function send(form, credential) {
  form.elements.namedItem('credential').value = answerOf(credential);
  form.submit();
}

/** Offers passkeys among the names that the browser fills in, until the button is pressed. */
async function offerAmongNames(form, signal) {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return;
  if (signal.aborted) return;
  try {
    send(form, await navigator.credentials.get({ publicKey: optionsOf(form), mediation: 'conditional', signal }));
  } catch {
    // Nobody asked for it: there is nothing to tell.
  }
}

function ask(form) {
  const publicKey = optionsOf(form);
  return form.dataset.passkey === 'create'
    ? navigator.credentials.create({ publicKey })
    : navigator.credentials.get({ publicKey });
}

function start(form) {
  const quiet = new AbortController();
  const said = form.querySelector('[role="status"]');
  const button = form.querySelector('button');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    quiet.abort();
    button.disabled = true;
    said.textContent = '';
    try {
      send(form, await ask(form));
    } catch (error) {
      said.textContent = error.name === 'InvalidStateError' ? said.dataset.known : said.dataset.failed;
      button.disabled = false;
      button.focus();
    }
  });
  form.hidden = false;
  if ('amongNames' in form.dataset) void offerAmongNames(form, quiet.signal);
}

for (const form of document.querySelectorAll('form[data-passkey]')) {
  if (!isUsable(form)) continue;
  start(form);
  for (const instead of document.querySelectorAll('[data-without-passkey]')) instead.hidden = true;
}
