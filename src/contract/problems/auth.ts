import { core, type ProblemKind, resource } from './kind.ts'

/** Problems with the authentication and the permissions of the caller. */
export const authProblems = {
  'auth/bad-header': {
    title: 'Invalid authorization header',
    exit: 1,
    status: 400,
    exception: 'nextgisweb.auth.exception.InvalidAuthorizationHeader',
    advice: 'Send "Basic" and base64 of login:password, or "Bearer" and a token.',
  },
  'auth/bad-credentials': {
    title: 'Invalid credentials',
    exit: 1,
    status: 401,
    exception: 'nextgisweb.auth.exception.InvalidCredentialsException',
    meansStatus: true,
    advice: 'Check the login and the password, or the token.',
  },
  'auth/disabled': {
    title: 'User disabled',
    exit: 1,
    status: 401,
    exception: 'nextgisweb.auth.exception.UserDisabledException',
    advice: 'Ask an administrator to enable the account.',
  },
  'auth/required': {
    title: 'Login required',
    exit: 1,
    status: 401,
    exception: 'nextgisweb.auth.exception.InvalidCredentialsException',
    advice: 'Log in.',
  },
  'auth/session-ended': {
    title: 'Session ended',
    exit: 1,
    status: 401,
    exception: 'nextgisweb.auth.exception.InvalidCredentialsException',
    advice: 'Log in again.',
  },
  'auth/cross-site': {
    title: 'Request from another site',
    exit: 1,
    status: 403,
    exception: `${core}.ForbiddenError`,
    advice: 'Send the request from a page of this server, or with a token instead of the session.',
  },
  'auth/too-many': {
    title: 'Too many failed logins',
    exit: 1,
    status: 429,
    exception: `${core}.ForbiddenError`,
    meansStatus: true,
    advice: 'Wait for the number of seconds in the Retry-After header.',
  },
  'access/denied': {
    title: 'Insufficient permissions',
    exit: 1,
    status: 403,
    exception: `${core}.InsufficientPermissions`,
    meansStatus: true,
    advice: 'Use another account, or ask an administrator for access.',
  },
  'access/attribute': {
    title: 'Attribute update forbidden',
    exit: 1,
    status: 403,
    exception: `${resource}.AttributeUpdateForbidden`,
    advice: 'Omit the member, or request the permission that the message names.',
  },
} as const satisfies Record<string, ProblemKind>
