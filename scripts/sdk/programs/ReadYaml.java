import java.nio.file.Files;
import java.nio.file.Path;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;

/** Reads a contract with SnakeYAML, and fails unless the JSON, which is YAML too, says the same. */
class ReadYaml {
  public static void main(String[] files) throws Exception {
    LoaderOptions options = new LoaderOptions();
    options.setCodePointLimit(Integer.MAX_VALUE);
    Object read = new Yaml(options).load(Files.readString(Path.of(files[0])));
    Object expected = new Yaml(options).load(Files.readString(Path.of(files[1])));
    if (!read.equals(expected)) System.exit(1);
  }
}
