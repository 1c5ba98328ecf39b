import { core, kind, type ProblemKind, resource } from './kind.ts'

/** What can be wrong with the one who asks. */
export const authProblems = {
  'auth/bad-header': kind(
    400,
    1,
    'Invalid authorization header',
    'nextgisweb.auth.exception.InvalidAuthorizationHeader',
    'Send "Basic" and base64 of login:password, or "Bearer" and a token.',
  ),
  'auth/bad-credentials': kind(
    401,
    1,
    'Invalid credentials',
    'nextgisweb.auth.exception.InvalidCredentialsException',
    'Check the login and the password, or the token.',
  ),
  'auth/disabled': kind(
    401,
    1,
    'User disabled',
    'nextgisweb.auth.exception.UserDisabledException',
    'Ask an administrator to enable the account.',
  ),
  'auth/required': kind(
    401,
    1,
    'Login required',
    'nextgisweb.auth.exception.InvalidCredentialsException',
    'Log in.',
  ),
  'auth/session-ended': kind(
    401,
    1,
    'Session ended',
    'nextgisweb.auth.exception.InvalidCredentialsException',
    'Log in again.',
  ),
  'auth/cross-site': kind(
    403,
    1,
    'Request from another site',
    `${core}.ForbiddenError`,
    'Send it from a page of the server itself, or with a token in the place of the session.',
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
    'Use another account, or ask an administrator for access.',
  ),
  'access/attribute': kind(
    403,
    1,
    'Attribute update forbidden',
    `${resource}.AttributeUpdateForbidden`,
    'Leave the member out, or ask for the permission that the message names.',
  ),
} as const satisfies Record<string, ProblemKind>
