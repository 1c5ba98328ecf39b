import { core, kind, type ProblemKind } from './kind.ts'

/** What can be wrong with users, groups and tokens. */
export const principalProblems = {
  'principal/not-found': kind(
    404,
    1,
    'User or group not found',
    `${core}.ValidationError`,
    'Check the id: users and groups are listed below /api/component/auth.',
  ),
  'principal/name-taken': kind(
    422,
    1,
    'Name is not unique',
    `${core}.ValidationError`,
    'Choose another name: users and groups share their names, and case does not tell names apart.',
  ),
  'principal/system': kind(
    409,
    1,
    'Belongs to the system',
    `${core}.ForbiddenError`,
    'Leave it as it is: rules and the server itself depend on it.',
  ),
  'principal/referenced': kind(
    409,
    1,
    'User or group is in use',
    `${core}.ForbiddenError`,
    'Transfer its resources to another user and remove it from the rules first.',
  ),
  'principal/last-administrator': kind(
    409,
    1,
    'Last administrator',
    `${core}.ForbiddenError`,
    'Make somebody else an administrator first.',
  ),
  'principal/weak-password': kind(
    422,
    1,
    'Password is too weak',
    `${core}.ValidationError`,
    'Take a longer one that nobody guesses: a few words that do not belong together.',
  ),
  'token/not-found': kind(
    404,
    1,
    'Token not found',
    `${core}.ValidationError`,
    'It may have been revoked: list the tokens.',
  ),
} as const satisfies Record<string, ProblemKind>
