import { core, type ProblemKind } from './kind.ts'

/** What can be wrong with users, groups and tokens. */
export const principalProblems = {
  'principal/not-found': {
    title: 'User or group not found',
    exit: 1,
    status: 404,
    exception: `${core}.ValidationError`,
    advice: 'Check the id: users and groups are listed below /api/component/auth.',
  },
  'principal/name-taken': {
    title: 'Name is not unique',
    exit: 1,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Choose another name: users and groups share their names, and case does not tell names apart.',
  },
  'principal/system': {
    title: 'Belongs to the system',
    exit: 1,
    status: 409,
    exception: `${core}.ForbiddenError`,
    advice: 'Leave it as it is: rules and the server itself depend on it.',
  },
  'principal/referenced': {
    title: 'User or group is in use',
    exit: 1,
    status: 409,
    exception: `${core}.ForbiddenError`,
    advice: 'Transfer its resources to another user and remove it from the rules first.',
  },
  'principal/last-administrator': {
    title: 'Last administrator',
    exit: 1,
    status: 409,
    exception: `${core}.ForbiddenError`,
    advice: 'Make somebody else an administrator first.',
  },
  'principal/weak-password': {
    title: 'Password is too weak',
    exit: 1,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Take a longer one that nobody guesses: a few words that do not belong together.',
  },
  'token/not-found': {
    title: 'Token not found',
    exit: 1,
    status: 404,
    exception: `${core}.ValidationError`,
    advice: 'It may have been revoked: list the tokens.',
  },
} as const satisfies Record<string, ProblemKind>
