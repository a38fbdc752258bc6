/**
 * Replaces the SDK's default credentials chain in the bundle. Lambda and the local run both pass credentials in the
 * environment, so the rest of the chain (SSO, profiles, containers, instance metadata) is a fifth of the code and
 * unused.
 */
export { fromEnv as defaultProvider } from '@aws-sdk/credential-provider-env';
