import { render } from './render.ts';
import type { Link, SurfaceView } from './surface-view.ts';
import type { WorkflowFileView } from './workflow-view.ts';

/** This host's style sheet and icon, and nothing else. */
export const indexPagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The file of workflows that the page begins with. */
const mainJob = 'main-job';

/**
 * The first page of the documentation: the main job, every surface, and the other files of workflows. It names the
 * account by `baseUrlPlaceholder`.
 */
export function indexPage(
  surfaces: readonly SurfaceView[],
  workflows: readonly WorkflowFileView[],
  link: Link,
): string {
  const files = workflows.map((file) => ({ ...file, href: link(`/openapi/workflows/${file.name}.yaml`) }));
  return render('index', 'Gatehouse documentation', link, {
    surfaces,
    allHref: link('/openapi/gatehouse.json'),
    collectionHref: link('/openapi/postman.json'),
    mainJob: files.find(({ name }) => name === mainJob),
    workflows: files.filter(({ name }) => name !== mainJob),
  });
}
