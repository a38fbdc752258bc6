/**
 * Published prices in US dollars, region us-east-1, on demand, without free tiers, as of November 2026.
 * Sources: aws.amazon.com/dynamodb/pricing/on-demand, aws.amazon.com/lambda/pricing (arm64),
 * aws.amazon.com/api-gateway/pricing (REST).
 */
export const PRICES = {
  millionReadUnits: 0.125,
  millionWriteUnits: 0.625,
  millionGatewayRequests: 3.5,
  millionFunctionRequests: 0.2,
  /** Of a function's memory. */
  gigabyteSecond: 0.0000133334,
} as const;
