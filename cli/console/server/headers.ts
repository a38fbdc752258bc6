/** The header of the secret that the page sends with every request. */
export const SESSION_HEADER = 'x-ailog-session';

/** The header of the token of a link, for which the page gets that secret. */
export const TOKEN_HEADER = 'x-ailog-token';
