import { describeGuides } from './guide-page.ts';
import { render } from './render.ts';
import type { Link, SurfaceView } from './surface-view.ts';
import type { WorkflowFileView } from './workflow-view.ts';

/** The file of workflows that the page begins with. */
const mainJob = 'main-job';

/**
 * The first page of the documentation: where to start, the main job, the guides, every surface, and the other files of
 * workflows. It names the account by `baseUrlPlaceholder`.
 */
export function indexPage(
  surfaces: readonly SurfaceView[],
  workflows: readonly WorkflowFileView[],
  link: Link,
): string {
  const files = workflows.map((file) => ({ ...file, href: link(`/openapi/workflows/${file.name}.yaml`) }));
  const [start, ...groups] = describeGuides(link);
  return render('index', 'Gatehouse documentation', link, {
    surfaces,
    start,
    groups,
    allHref: link('/openapi/gatehouse.json'),
    collectionHref: link('/openapi/postman.json'),
    mainJob: files.find(({ name }) => name === mainJob),
    workflows: files.filter(({ name }) => name !== mainJob),
  });
}
