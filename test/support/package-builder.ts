import { createRegistryEgress } from '../../src/adapters/egress/policies.ts';
import type { PackageBuilder } from '../../src/domain/hooks/package-builds.ts';
import { createPackageBuilder, type PackageBuilderOptions } from '../../src/hook-packages/build.ts';
import { limits } from '../../src/hook-packages/protocol.ts';

/** As a server has it, from a registry on loopback. Packages are built also where the system shuts in too little. */
export function openPackageBuilder(registry: string, more: Partial<PackageBuilderOptions> = {}): PackageBuilder {
  return createPackageBuilder({ registry, egress: createRegistryEgress(registry, limits), isOpen: true, ...more });
}
