/** Turns the error of a read into undefined if there is no such file or folder. @throws any other error */
export const orMissing = (error: NodeJS.ErrnoException): undefined => {
  if (error.code !== 'ENOENT') throw error;
};
