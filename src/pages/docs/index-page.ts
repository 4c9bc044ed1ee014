import { render } from './render.ts';
import type { Link, SurfaceView } from './surface-view.ts';
import type { WorkflowFile } from './workflow-view.ts';

/** This host's style sheet and icon, and nothing else. */
export const indexPagePolicy = [
  "default-src 'none'",
  "style-src 'self'",
  "img-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** The first page of the documentation: every surface and every file of workflows. */
export function indexPage(surfaces: readonly SurfaceView[], workflows: readonly WorkflowFile[], link: Link): string {
  return render('index', 'Gatehouse documentation', link, {
    surfaces,
    workflows: workflows.map((file) => ({ ...file, href: link(`/openapi/workflows/${file.name}.yaml`) })),
  });
}
