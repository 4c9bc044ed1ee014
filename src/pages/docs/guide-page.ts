import { type Guide, guideGroups, guides, readGuide } from './guides.ts';
import { renderMarkdown, targetOf, titleOf } from './markdown.ts';
import { pictureAddress } from './pictures.ts';
import { render } from './render.ts';
import type { Link } from './surface-view.ts';

/** This host's style sheet and icon, and a form that asks this host. */
export const guidePagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** A guide as lists show it. */
interface GuideView {
  readonly title: string;
  readonly summary: string;
  readonly href: string;
}

/** All guides in their groups. */
export function describeGuides(link: Link): { readonly heading: string; readonly guides: readonly GuideView[] }[] {
  return guideGroups.map(({ heading, guides: members }) => ({
    heading,
    guides: members.map((guide) => ({
      title: titleOf(readGuide(guide)),
      summary: guide.summary,
      href: link(`/docs/${guide.name}`),
    })),
  }));
}

/** The page of one guide. Links to pages that are not served, such as source code, are left as text. */
export function guidePage(guide: Guide, link: Link, markdown = readGuide(guide)): string {
  const picture = (href: string) => {
    const address = pictureAddress(targetOf(guide.file, href).path);
    return address && link(address);
  };
  const resolve = (href: string) => {
    if (/^[a-z][a-z+.-]*:/i.test(href)) return /^(?:https?|mailto):/i.test(href) ? href : null;
    // An address of the service, such as the page of a surface.
    if (href.startsWith('/docs')) {
      const [path = '', anchor] = href.split('#', 2);
      return link(path) + (anchor === undefined ? '' : `#${anchor}`);
    }
    const { path, anchor } = targetOf(guide.file, href);
    const target = guides.find(({ file }) => file === path);
    return target ? `${target === guide ? '' : link(`/docs/${target.name}`)}${anchor}` : null;
  };
  const body = renderMarkdown(markdown, resolve, picture);
  return render('guide', `${titleOf(markdown)} – Gatehouse documentation`, link, { body_html: body });
}
