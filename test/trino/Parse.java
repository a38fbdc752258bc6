import io.trino.sql.parser.ParsingException;
import io.trino.sql.parser.SqlParser;
import io.trino.sql.tree.AliasedRelation;
import io.trino.sql.tree.DefaultTraversalVisitor;
import io.trino.sql.tree.FunctionCall;
import io.trino.sql.tree.Statement;
import java.nio.file.Files;
import java.nio.file.Path;

/** Parses each file as one statement of Trino. Prints a line for each of its functions and aliases, and its error. */
public class Parse {
    public static void main(String[] files) throws Exception {
        for (String file : files) {
            try {
                Statement statement = new SqlParser().createStatement(Files.readString(Path.of(file)));
                new DefaultTraversalVisitor<Void>() {
                    @Override
                    protected Void visitFunctionCall(FunctionCall call, Void context) {
                        System.out.println(file + "\tfunction\t" + call.getName());
                        return super.visitFunctionCall(call, context);
                    }

                    @Override
                    protected Void visitAliasedRelation(AliasedRelation relation, Void context) {
                        System.out.println(file + "\talias\t" + relation.getAlias().getValue());
                        return super.visitAliasedRelation(relation, context);
                    }
                }.process(statement, null);
                System.out.println(file + "\tparsed\t");
            } catch (ParsingException error) {
                System.out.println(file + "\terror\t" + error.getMessage());
            }
        }
    }
}
