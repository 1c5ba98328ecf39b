import type { KeepRule } from '../../store/layer/kept_data.ts'
import type { ServerContext } from '../context.ts'

/** Returns which replaced and deleted data the server keeps, and for whom after a deletion. */
export function keepRuleFor(
  { keptDataDays, keptDataBytes }: Pick<ServerContext, 'keptDataDays' | 'keptDataBytes'>,
  userOf: KeepRule['userOf'] = () => null,
): KeepRule {
  return { limitBytes: keptDataDays === 'off' ? 0 : keptDataBytes, userOf }
}
