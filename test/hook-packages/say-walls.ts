/**
 * Says what builds are shut in with here, and how a build ends: `node say-walls.ts <registry> <folder> <package>
 * <version>`. A program, so that a test can start it with less than it has itself.
 */
import { openPackageBuilder } from '../support/package-builder.ts';

const [registry = '', parent = '', name = '', version = ''] = process.argv.slice(2);
const said = [false, true].map(async (isOpen) => {
  const builder = openPackageBuilder(registry, { parent, isOpen });
  const { state, reason, remedy } = await builder.walls();
  return { state, reason, remedy, result: await builder.build({ [name]: version }, async () => false) };
});
const [confined, open] = await Promise.all(said);
process.stdout.write(JSON.stringify({ confined, open }));
