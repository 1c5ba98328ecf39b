import { core, type ProblemKind } from './kind.ts'

/** Problems with users, groups and tokens. */
export const principalProblems = {
  'principal/not-found': {
    title: 'User or group not found',
    exit: 1,
    status: 404,
    exception: `${core}.ValidationError`,
    advice: 'Check the id: /api/component/auth lists users and groups.',
  },
  'principal/name-taken': {
    title: 'Name is not unique',
    exit: 1,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Choose another name: names are unique across users and groups, ignoring case.',
  },
  'principal/system': {
    title: 'System user or group',
    exit: 1,
    status: 409,
    exception: `${core}.ForbiddenError`,
    advice: 'Keep it: the server depends on it.',
  },
  'principal/referenced': {
    title: 'User or group is in use',
    exit: 1,
    status: 409,
    exception: `${core}.ForbiddenError`,
    advice: 'Transfer its resources to another user and remove its permission rules first.',
  },
  'principal/last-administrator': {
    title: 'Last administrator',
    exit: 1,
    status: 409,
    exception: `${core}.ForbiddenError`,
    advice: 'Make another user an administrator first.',
  },
  'principal/no-password': {
    title: 'Password cannot be read',
    exit: 1,
    advice: 'Set the variable, or write the file, before the apply, which fails without it.',
  },
  'principal/weak-password': {
    title: 'Password is too weak',
    exit: 1,
    status: 422,
    exception: `${core}.ValidationError`,
    advice: 'Use a longer, less predictable password, such as several unrelated words.',
  },
  'token/not-found': {
    title: 'Token not found',
    exit: 1,
    status: 404,
    exception: `${core}.ValidationError`,
    advice: 'Check the list of tokens: it may have been revoked.',
  },
} as const satisfies Record<string, ProblemKind>
