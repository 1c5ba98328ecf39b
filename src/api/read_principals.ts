import type { GroupAnswer, UserAnswer } from '../contract/principal.ts'
import { isProblem } from '../core/problem.ts'
import type { Api } from './api.ts'

/** Users and groups with all their members. */
export interface PrincipalRecords {
  readonly users: readonly UserAnswer[]
  readonly groups: readonly GroupAnswer[]
}

/**
 * Reads all users and groups; undefined if the account cannot, which requires an administrator.
 *
 * @throws {Problem} http/*
 */
export async function readPrincipalRecords(
  api: Api,
  signal: AbortSignal | undefined,
): Promise<PrincipalRecords | undefined> {
  try {
    const [users, groups] = await Promise.all([
      api.call('auth.user_list', { signal }),
      api.call('auth.group_list', { signal }),
    ])
    return { users, groups }
  } catch (error) {
    if (isProblem(error) && [401, 403, 404, 405, 501].includes(error.status ?? 0)) return undefined
    throw error
  }
}
