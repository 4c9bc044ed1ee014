import { Screen } from '../../parts/screen.tsx';
import { may } from '../../session/session.ts';
import { Activity } from './activity.tsx';
import { DeprecatedCallers, UnusedApps } from './callers.tsx';
import { HookStates, KeyStates, LockedUsers } from './states.tsx';

/** How the account is, and what needs attention. */
export function Overview() {
  return (
    <Screen title="Overview">
      <div class="overview">
        {may('read_all') && <Activity />}
        <LockedUsers />
        {may('manage_all') && <KeyStates />}
        {may('manage_all') && <HookStates />}
        {may('read_all') && <UnusedApps />}
        {may('read_all') && <DeprecatedCallers />}
      </div>
    </Screen>
  );
}
