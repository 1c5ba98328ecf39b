import { core, kind, type ProblemKind, resource } from './kind.ts'

/** What can be wrong with the one who asks. */
export const authProblems = {
  'auth/bad-header': kind(
    400,
    1,
    'Invalid authorization header',
    'nextgisweb.auth.exception.InvalidAuthorizationHeader',
    'Send "Basic" and base64 of login:password.',
  ),
  'auth/bad-credentials': kind(
    401,
    1,
    'Invalid credentials',
    'nextgisweb.auth.exception.InvalidCredentialsException',
    'Check the login and the password.',
  ),
  'auth/disabled': kind(
    401,
    1,
    'User disabled',
    'nextgisweb.auth.exception.UserDisabledException',
    'Ask an administrator to enable the account.',
  ),
  'auth/too-many': kind(
    429,
    1,
    'Too many failed logins',
    `${core}.ForbiddenError`,
    'Wait as long as the Retry-After header says.',
  ),
  'access/denied': kind(
    403,
    1,
    'Insufficient permissions',
    `${core}.InsufficientPermissions`,
    'Ask for the permission that the message names.',
  ),
  'access/attribute': kind(
    403,
    1,
    'Attribute update forbidden',
    `${resource}.AttributeUpdateForbidden`,
    'Leave the member out, or ask for the permission that the message names.',
  ),
} as const satisfies Record<string, ProblemKind>
