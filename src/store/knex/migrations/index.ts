import type { Knex } from 'knex';
import * as first from './0001_first.ts';
import * as generations from './0002_generations.ts';
import * as management from './0003_management.ts';
import * as events from './0004_events.ts';
import * as authorizationServers from './0005_authorization_servers.ts';
import * as policies from './0006_policies.ts';
import * as apps from './0007_apps.ts';
import * as secondFactor from './0008_second_factor.ts';
import * as hooks from './0009_hooks.ts';
import * as hookPackages from './0010_hook_packages.ts';
import * as deprecated from './0011_deprecated.ts';
import * as registrations from './0013_registrations.ts';
import * as signOut from './0014_sign_out.ts';
import * as requests from './0015_requests.ts';
import * as sectors from './0016_sectors.ts';
import * as deviceCodes from './0017_device_codes.ts';
import * as accountPages from './0019_account_pages.ts';
import * as passwordResets from './0020_password_resets.ts';
import * as passkeys from './0021_passkeys.ts';
import * as sessionApps from './0022_session_apps.ts';
import * as meansOfSignIn from './0023_means_of_sign_in.ts';
import * as endings from './0024_endings.ts';
import * as endedRequests from './0025_ended_requests.ts';
import * as sessionOfRequest from './0026_session_of_request.ts';
import * as linkOrder from './0028_link_order.ts';
import * as autovacuum from './0029_autovacuum.ts';
import * as migrationChecksums from './0030_migration_checksums.ts';
import * as removals from './0031_removals.ts';
import * as apiScopes from './0032_api_scopes.ts';
import * as noticePlaces from './0033_notice_places.ts';
import * as deviceApiScopes from './0034_device_api_scopes.ts';
import * as apiLinkRemovals from './0035_api_link_removals.ts';
import * as appLifetimes from './0036_app_lifetimes.ts';
import * as keptAnswers from './0037_kept_answers.ts';
import * as eventLookup from './0038_event_lookup.ts';
import * as refusals from './0039_refusals.ts';
import * as proofs from './0040_proofs.ts';
import * as verifiedEmail from './0041_verified_email.ts';
import * as openServers from './0042_open_servers.ts';
import * as documentClients from './0044_document_clients.ts';
import * as resourceMetadata from './0046_resource_metadata.ts';
import * as documentGenerations from './0048_document_generations.ts';
import * as limitCounts from './0053_limit_counts.ts';
import * as accountCounts from './0054_account_counts.ts';
import * as hookHistory from './0055_hook_history.ts';
import * as administrators from './0056_administrators.ts';
import * as userCounts from './0057_user_counts.ts';
import * as userSearch from './0058_user_search.ts';
import * as hookLogSizes from './0059_hook_log_sizes.ts';
import * as noticePaces from './0060_notice_paces.ts';
import * as noticeMailboxes from './0061_notice_mailboxes.ts';

/** From this one on the database keeps a checksum of each. */
export const checksumsSince = '0030_migration_checksums';

/** All migrations in the order they are applied. A released one never changes. */
export const migrations: readonly (Knex.Migration & { readonly name: string })[] = [
  { name: '0001_first', ...first },
  { name: '0002_generations', ...generations },
  { name: '0003_management', ...management },
  { name: '0004_events', ...events },
  { name: '0005_authorization_servers', ...authorizationServers },
  { name: '0006_policies', ...policies },
  { name: '0007_apps', ...apps },
  { name: '0008_second_factor', ...secondFactor },
  { name: '0009_hooks', ...hooks },
  { name: '0010_hook_packages', ...hookPackages },
  { name: '0011_deprecated', ...deprecated },
  { name: '0013_registrations', ...registrations },
  { name: '0014_sign_out', ...signOut },
  { name: '0015_requests', ...requests },
  { name: '0016_sectors', ...sectors },
  { name: '0017_device_codes', ...deviceCodes },
  { name: '0019_account_pages', ...accountPages },
  { name: '0020_password_resets', ...passwordResets },
  { name: '0021_passkeys', ...passkeys },
  { name: '0022_session_apps', ...sessionApps },
  { name: '0023_means_of_sign_in', ...meansOfSignIn },
  { name: '0024_endings', ...endings },
  { name: '0025_ended_requests', ...endedRequests },
  { name: '0026_session_of_request', ...sessionOfRequest },
  { name: '0028_link_order', ...linkOrder },
  { name: '0029_autovacuum', ...autovacuum },
  { name: checksumsSince, ...migrationChecksums },
  { name: '0031_removals', ...removals },
  { name: '0032_api_scopes', ...apiScopes },
  { name: '0033_notice_places', ...noticePlaces },
  { name: '0034_device_api_scopes', ...deviceApiScopes },
  { name: '0035_api_link_removals', ...apiLinkRemovals },
  { name: '0036_app_lifetimes', ...appLifetimes },
  { name: '0037_kept_answers', ...keptAnswers },
  { name: '0038_event_lookup', ...eventLookup },
  { name: '0039_refusals', ...refusals },
  { name: '0040_proofs', ...proofs },
  { name: '0041_verified_email', ...verifiedEmail },
  { name: '0042_open_servers', ...openServers },
  { name: '0044_document_clients', ...documentClients },
  { name: '0046_resource_metadata', ...resourceMetadata },
  { name: '0048_document_generations', ...documentGenerations },
  { name: '0053_limit_counts', ...limitCounts },
  { name: '0054_account_counts', ...accountCounts },
  { name: '0055_hook_history', ...hookHistory },
  { name: '0056_administrators', ...administrators },
  { name: '0057_user_counts', ...userCounts },
  { name: '0058_user_search', ...userSearch },
  { name: '0059_hook_log_sizes', ...hookLogSizes },
  { name: '0060_notice_paces', ...noticePaces },
  { name: '0061_notice_mailboxes', ...noticeMailboxes },
];

export const migrationNames: readonly string[] = migrations.map(({ name }) => name);

/** The list above for Knex, which would else scan a folder. */
export const migrationSource: Knex.MigrationSource<unknown> = {
  getMigrations: async () => [...migrationNames],
  getMigrationName: String,
  getMigration: async (name) => {
    const migration = migrations.find((one) => one.name === name);
    if (!migration) throw new Error(`there is no migration ${String(name)}`);
    return migration;
  },
};
