import { icons } from './icons.ts';
import { page } from './page.ts';

/** The contents of the page that delivers a response to a client. */
export interface FormPostView {
  readonly accountName: string;
  readonly action: string;
  /** Members of the form, in order. */
  readonly members: Readonly<Record<string, string>>;
}

/**
 * The page whose form delivers a response to a client (OAuth 2.0 Form Post Response Mode 1.0 §2): a script of this host
 * submits it at once; without scripts the user presses the button.
 */
export function formPostPage({ accountName, action, members }: FormPostView): string {
  return page(
    'form-post',
    { title: 'Back to the application', accountName, script: 'send-form.js' },
    {
      icon: icons.leave,
      host: URL.parse(action)?.host ?? '',
      action,
      members: Object.entries(members),
    },
  );
}
