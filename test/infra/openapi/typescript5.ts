/**
 * Gives openapi-typescript the compiler that it is written for: `node --import` loads this file first. TypeScript 7,
 * which checks the project, has no API in JavaScript.
 */
import { registerHooks } from 'node:module';

registerHooks({
  resolve: (specifier, context, next) => next(specifier === 'typescript' ? 'typescript-5' : specifier, context),
});
