// Compiled from schema.ts by `npm run generate`: do not edit.
var __defProp = Object.defineProperty;
var __getOwnPropDesc = Object.getOwnPropertyDescriptor;
var __getOwnPropNames = Object.getOwnPropertyNames;
var __hasOwnProp = Object.prototype.hasOwnProperty;
var __esm = (fn, res, err) => function __init() {
  if (err) throw err[0];
  try {
    return fn && (res = (0, fn[__getOwnPropNames(fn)[0]])(fn = 0)), res;
  } catch (e) {
    throw err = [e], e;
  }
};
var __commonJS = (cb, mod) => function __require() {
  try {
    return mod || (0, cb[__getOwnPropNames(cb)[0]])((mod = { exports: {} }).exports, mod), mod.exports;
  } catch (e) {
    throw mod = 0, e;
  }
};
var __export = (target, all) => {
  for (var name in all)
    __defProp(target, name, { get: all[name], enumerable: true });
};
var __copyProps = (to, from, except, desc) => {
  if (from && typeof from === "object" || typeof from === "function") {
    for (let key of __getOwnPropNames(from))
      if (!__hasOwnProp.call(to, key) && key !== except)
        __defProp(to, key, { get: () => from[key], enumerable: !(desc = __getOwnPropDesc(from, key)) || desc.enumerable });
  }
  return to;
};
var __toCommonJS = (mod) => __copyProps(__defProp({}, "__esModule", { value: true }), mod);

// functions/ailog/orderId.ts
var orderId_exports = {};
__export(orderId_exports, {
  ORDER_ID_LIMIT: () => ORDER_ID_LIMIT,
  isOrderId: () => isOrderId
});
function isOrderId(text) {
  return text === "" || /^(0|[1-9]\d{0,18})$/.test(text) && BigInt(text) <= ORDER_ID_LIMIT;
}
var ORDER_ID_LIMIT;
var init_orderId = __esm({
  "functions/ailog/orderId.ts"() {
    "use strict";
    ORDER_ID_LIMIT = 2n ** 63n - 1n;
  }
});

// node_modules/ajv/dist/runtime/ucs2length.js
var require_ucs2length = __commonJS({
  "node_modules/ajv/dist/runtime/ucs2length.js"(exports) {
    "use strict";
    Object.defineProperty(exports, "__esModule", { value: true });
    function ucs2length(str) {
      const len = str.length;
      let length = 0;
      let pos = 0;
      let value;
      while (pos < len) {
        length++;
        value = str.charCodeAt(pos++);
        if (value >= 55296 && value <= 56319 && pos < len) {
          value = str.charCodeAt(pos);
          if ((value & 64512) === 56320)
            pos++;
        }
      }
      return length;
    }
    exports.default = ucs2length;
    ucs2length.code = 'require("ajv/dist/runtime/ucs2length").default';
  }
});

// <stdin>
var require_stdin = __commonJS({
  "<stdin>"(exports, module) {
    module.exports = validate10;
    module.exports.default = validate10;
    var schema11 = { "type": "object", "properties": { "orderId": { "type": ["string", "null"], "format": "int64" }, "stage": { "type": "string", "pattern": "[^\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800]" }, "model": { "type": "string", "pattern": "[^\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800]" }, "input": { "type": "object" }, "output": { "type": "object" }, "explanation": { "type": "string", "pattern": "[^\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800]", "maxLength": 1e3 } }, "required": ["stage", "model", "input", "output", "explanation"] };
    var formats0 = { int64: (init_orderId(), __toCommonJS(orderId_exports)).isOrderId }.int64;
    var pattern0 = new RegExp("[^\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800]", "u");
    var func2 = require_ucs2length().default;
    function validate10(data, { instancePath = "", parentData, parentDataProperty, rootData = data } = {}) {
      let vErrors = null;
      let errors = 0;
      if (data && typeof data == "object" && !Array.isArray(data)) {
        if (data.stage === void 0) {
          const err0 = { instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: "stage" } };
          if (vErrors === null) {
            vErrors = [err0];
          } else {
            vErrors.push(err0);
          }
          errors++;
        }
        if (data.model === void 0) {
          const err1 = { instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: "model" } };
          if (vErrors === null) {
            vErrors = [err1];
          } else {
            vErrors.push(err1);
          }
          errors++;
        }
        if (data.input === void 0) {
          const err2 = { instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: "input" } };
          if (vErrors === null) {
            vErrors = [err2];
          } else {
            vErrors.push(err2);
          }
          errors++;
        }
        if (data.output === void 0) {
          const err3 = { instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: "output" } };
          if (vErrors === null) {
            vErrors = [err3];
          } else {
            vErrors.push(err3);
          }
          errors++;
        }
        if (data.explanation === void 0) {
          const err4 = { instancePath, schemaPath: "#/required", keyword: "required", params: { missingProperty: "explanation" } };
          if (vErrors === null) {
            vErrors = [err4];
          } else {
            vErrors.push(err4);
          }
          errors++;
        }
        if (data.orderId !== void 0) {
          let data0 = data.orderId;
          if (typeof data0 !== "string" && data0 !== null) {
            const err5 = { instancePath: instancePath + "/orderId", schemaPath: "#/properties/orderId/type", keyword: "type", params: { type: schema11.properties.orderId.type } };
            if (vErrors === null) {
              vErrors = [err5];
            } else {
              vErrors.push(err5);
            }
            errors++;
          }
          if (typeof data0 === "string") {
            if (!formats0(data0)) {
              const err6 = { instancePath: instancePath + "/orderId", schemaPath: "#/properties/orderId/format", keyword: "format", params: { format: "int64" } };
              if (vErrors === null) {
                vErrors = [err6];
              } else {
                vErrors.push(err6);
              }
              errors++;
            }
          }
        }
        if (data.stage !== void 0) {
          let data1 = data.stage;
          if (typeof data1 === "string") {
            if (!pattern0.test(data1)) {
              const err7 = { instancePath: instancePath + "/stage", schemaPath: "#/properties/stage/pattern", keyword: "pattern", params: { pattern: "[^\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800]" } };
              if (vErrors === null) {
                vErrors = [err7];
              } else {
                vErrors.push(err7);
              }
              errors++;
            }
          } else {
            const err8 = { instancePath: instancePath + "/stage", schemaPath: "#/properties/stage/type", keyword: "type", params: { type: "string" } };
            if (vErrors === null) {
              vErrors = [err8];
            } else {
              vErrors.push(err8);
            }
            errors++;
          }
        }
        if (data.model !== void 0) {
          let data2 = data.model;
          if (typeof data2 === "string") {
            if (!pattern0.test(data2)) {
              const err9 = { instancePath: instancePath + "/model", schemaPath: "#/properties/model/pattern", keyword: "pattern", params: { pattern: "[^\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800]" } };
              if (vErrors === null) {
                vErrors = [err9];
              } else {
                vErrors.push(err9);
              }
              errors++;
            }
          } else {
            const err10 = { instancePath: instancePath + "/model", schemaPath: "#/properties/model/type", keyword: "type", params: { type: "string" } };
            if (vErrors === null) {
              vErrors = [err10];
            } else {
              vErrors.push(err10);
            }
            errors++;
          }
        }
        if (data.input !== void 0) {
          let data3 = data.input;
          if (!(data3 && typeof data3 == "object" && !Array.isArray(data3))) {
            const err11 = { instancePath: instancePath + "/input", schemaPath: "#/properties/input/type", keyword: "type", params: { type: "object" } };
            if (vErrors === null) {
              vErrors = [err11];
            } else {
              vErrors.push(err11);
            }
            errors++;
          }
        }
        if (data.output !== void 0) {
          let data4 = data.output;
          if (!(data4 && typeof data4 == "object" && !Array.isArray(data4))) {
            const err12 = { instancePath: instancePath + "/output", schemaPath: "#/properties/output/type", keyword: "type", params: { type: "object" } };
            if (vErrors === null) {
              vErrors = [err12];
            } else {
              vErrors.push(err12);
            }
            errors++;
          }
        }
        if (data.explanation !== void 0) {
          let data5 = data.explanation;
          if (typeof data5 === "string") {
            if (func2(data5) > 1e3) {
              const err13 = { instancePath: instancePath + "/explanation", schemaPath: "#/properties/explanation/maxLength", keyword: "maxLength", params: { limit: 1e3 } };
              if (vErrors === null) {
                vErrors = [err13];
              } else {
                vErrors.push(err13);
              }
              errors++;
            }
            if (!pattern0.test(data5)) {
              const err14 = { instancePath: instancePath + "/explanation", schemaPath: "#/properties/explanation/pattern", keyword: "pattern", params: { pattern: "[^\\s\\p{Cc}\\p{Default_Ignorable_Code_Point}\\u2800]" } };
              if (vErrors === null) {
                vErrors = [err14];
              } else {
                vErrors.push(err14);
              }
              errors++;
            }
          } else {
            const err15 = { instancePath: instancePath + "/explanation", schemaPath: "#/properties/explanation/type", keyword: "type", params: { type: "string" } };
            if (vErrors === null) {
              vErrors = [err15];
            } else {
              vErrors.push(err15);
            }
            errors++;
          }
        }
      } else {
        const err16 = { instancePath, schemaPath: "#/type", keyword: "type", params: { type: "object" } };
        if (vErrors === null) {
          vErrors = [err16];
        } else {
          vErrors.push(err16);
        }
        errors++;
      }
      validate10.errors = vErrors;
      return errors === 0;
    }
    Object.assign(module.exports, { "fields": ["orderId", "stage", "model", "input", "output", "explanation"], "requiredFields": ["stage", "model", "input", "output", "explanation"] });
  }
});
export default require_stdin();
